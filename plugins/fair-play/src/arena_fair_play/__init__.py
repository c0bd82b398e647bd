"""Statistics of fair play: who does better with whom at the table than strength explains, and with its author's bots.

A flag says what honest bots hardly ever show. It is no proof.
"""
