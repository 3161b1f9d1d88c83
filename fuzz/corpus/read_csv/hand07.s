resource	start	end
	a	0	1
p