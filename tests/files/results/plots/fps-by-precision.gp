# gnuplot fps-by-precision.gp draws fps-by-precision.svg and fps-by-precision.png from fps-by-precision.tsv
set terminal svg size 860,460 dynamic noenhanced font 'sans-serif,14' background 'white'
set output 'fps-by-precision.svg'
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
set title 'FPS by precision'
set xlabel 'precision'
set ylabel 'frames per second'
unset key
set style data histograms
set style histogram errorbars gap 1 lw 1.5
set style fill solid 0.85 border lc rgb '#444444'
set boxwidth 0.8
set yrange [0:*]
set xtics rotate by 0 right
set xtics norotate center
plot 'fps-by-precision.tsv' using 2:3:4:xtic(1) with histograms title 'FPS'
set terminal pngcairo size 1290,690 noenhanced font 'sans-serif,15' background 'white'
set output 'fps-by-precision.png'
replot
