"""What a league is: its file resolved against games, schedules and ratings, and all of it checked."""
