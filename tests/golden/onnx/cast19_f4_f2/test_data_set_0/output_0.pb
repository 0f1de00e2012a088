
ByJ„Y†UsNøYnQµWVRY¸P'U3Q^Y