"""What every algorithm of the registry promises."""
