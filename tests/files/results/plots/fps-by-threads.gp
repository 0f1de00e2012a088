# gnuplot fps-by-threads.gp draws fps-by-threads.svg and fps-by-threads.png from fps-by-threads.tsv
set terminal svg size 860,460 dynamic noenhanced font 'sans-serif,14' background 'white'
set output 'fps-by-threads.svg'
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
set title 'FPS by threads'
set xlabel 'threads per stream'
set ylabel 'frames per second'
set offsets graph 0.04, graph 0.04, 0, 0
set yrange [0:*]
set xtics 1
plot 'fps-by-threads.tsv' index 0 using 1:2:3:4 with yerrorlines pt 7 ps 0.7 lw 2 lt 1 title 'FPS', \
     'fps-by-threads.tsv' index 1 using 1:2 with lines lw 2 dt 2 lt 2 title 'ideal'
set terminal pngcairo size 1290,690 noenhanced font 'sans-serif,15' background 'white'
set output 'fps-by-threads.png'
replot
