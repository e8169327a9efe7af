mod cycles;
mod fixture;
mod layers;
mod packages;
mod paths;
mod workspace;
