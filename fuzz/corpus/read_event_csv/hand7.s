Timestamp,Event Type,Name
0,Enter,a
|