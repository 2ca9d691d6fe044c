"""What the studio remembers, in one SQLite file: people, marks, studies, scripts, consents, uploads."""
