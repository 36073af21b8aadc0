"""Learn: prepare, classify, commit; in a workflow, or in process by `run`."""
