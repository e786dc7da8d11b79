"""What users declare: the shapes of every YAML file. Nothing here reads or writes."""
