"""What the server answers: each module adds its routes to the app."""
