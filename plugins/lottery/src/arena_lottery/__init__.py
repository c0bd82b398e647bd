"""The maximal lottery of a league: weights of bots such that no other bot beats the one drawn on average."""
