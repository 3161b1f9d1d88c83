Timestamp,Event Type,Name,Process
9223372036854775807,Enter,a,0
-9223372036854775808,Leave,a,0
õ