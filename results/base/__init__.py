"""What everything stands on: errors, text, time, permissions, plug-ins, scores."""
