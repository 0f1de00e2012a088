
BxJ–YUCVÙY1QZØTçQŽQdV½U‡Y