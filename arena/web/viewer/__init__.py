"""Documents of games for the replay viewer: plain values, made of a stored game for certain eyes."""
