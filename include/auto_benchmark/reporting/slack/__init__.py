"""What goes to Slack: notices from the rows of the database, cut to Slack's limits, each in its thread."""
