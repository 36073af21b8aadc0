"""Every system under measurement, behind one Protocol."""
