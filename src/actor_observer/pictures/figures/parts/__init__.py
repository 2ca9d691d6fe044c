"""The parts that figures are drawn with: their style, grids, thumbnails and maps, and how they are saved."""
