"""Configuration: the TOML file, its settings, and the sources it names."""
