# gnuplot pareto.gp draws pareto.svg and pareto.png from pareto.tsv
set terminal svg size 860,460 dynamic noenhanced font 'sans-serif,14' background 'white'
set output 'pareto.svg'
set datafile separator tab
set encoding utf8
set grid ytics lc '#dddddd'
set border 3
set tics nomirror
set key outside top right
set linetype 1 lc rgb '#0072B2'
set linetype 2 lc rgb '#D55E00'
set linetype 3 lc rgb '#009E73'
set linetype 4 lc rgb '#CC79A7'
set linetype 5 lc rgb '#E69F00'
set linetype 6 lc rgb '#56B4E9'
set linetype 7 lc rgb '#000000'
set linetype 8 lc rgb '#999999'
set title 'Speed against quality'
set xlabel 'frames per second'
set ylabel 'IoU with exact truth'
set offsets graph 0.05, graph 0.05, 0.005, 0.005
plot 'pareto.tsv' index 0 using 1:2:5:6:3:4 with boxxyerror fs transparent solid 0.3 lt 1 notitle, \
     '' index 0 using 1:2 with points pt 7 ps 1.1 lt 1 title 'cases', \
     'pareto.tsv' index 1 using 1:2:5:6:3:4 with boxxyerror fs transparent solid 0.3 lt 2 notitle, \
     '' index 1 using 1:2:7 every 4::0 with labels offset 0,0.9 font ',12' notitle, \
     '' index 1 using 1:2 with points pt 7 ps 1.1 lt 2 title 'not beaten'
set terminal pngcairo size 1290,690 noenhanced font 'sans-serif,15' background 'white'
set output 'pareto.png'
replot
