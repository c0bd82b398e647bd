"""What pages are made of: links, pages as plain values, drawings, and how they become HTML."""
