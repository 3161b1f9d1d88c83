start|end|resource|attr.value|value|duration|row
0|1|a|b|c|3|4
Õ