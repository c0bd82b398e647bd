"""Webhooks: messages of what happens in leagues to addresses of authors and organisers, such as those of chat rooms."""
