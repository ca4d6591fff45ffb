#pragma once
#define TILE_HEADER "kernels/launch.inc"
