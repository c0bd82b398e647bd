"""What a live site has and an exported one lacks: who asks, forms, responses, open stores."""
