"""What people are told and asked: notices, Slack, reports, status, questions and their answers."""
