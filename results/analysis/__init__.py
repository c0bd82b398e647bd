"""What results tell: strengths fitted at once, sequential comparison, an order that is sure."""
