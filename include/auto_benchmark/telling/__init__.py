"""What people are told and asked: notices, Slack, reports, status, approvals."""
