"""What organisers do on the site: leagues as text and as plans, and the delivery of commands."""
