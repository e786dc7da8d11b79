"""Files and folders of trials and reports: atomic, content-addressed, bounded."""
