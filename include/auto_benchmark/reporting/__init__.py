"""Every report as a template and a view; strings come out, nothing is written."""
