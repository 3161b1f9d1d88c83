time,entity,metric,value
0.0,link1,traffic,3.5
0.5,link1,traffic,
1.0,link1,traffic,4
0.0,link2,saturation,0.25
