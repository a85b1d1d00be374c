module rondo

go 1.19
