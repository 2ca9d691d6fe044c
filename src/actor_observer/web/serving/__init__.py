"""The studio on a port: the application, its connections, a certificate, the link and the browser."""
