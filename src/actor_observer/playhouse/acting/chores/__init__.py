"""What actors do at home: cleaning, eating, leisure."""
