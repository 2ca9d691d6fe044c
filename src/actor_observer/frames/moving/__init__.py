"""What is measured between frames: optical flow, the motion of the whole picture, light and sharpness."""
