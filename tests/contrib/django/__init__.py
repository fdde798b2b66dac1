"""The application for Django."""
