"""What follows a decision: promotion, challenger, archive; and taking evidence back."""
