# gnuplot stages.gp draws stages.svg and stages.png from stages.tsv
set terminal svg size 860,460 dynamic noenhanced font 'sans-serif,14' background 'white'
set output 'stages.svg'
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
set title 'Work of each stage'
set ylabel 'ms per frame'
set style data histograms
set style histogram rowstacked
set style fill solid 0.85 border lc rgb '#444444'
set boxwidth 0.8
set yrange [0:*]
set xtics rotate by 0 right
set xtics norotate center
plot 'stages.tsv' using 2:xtic(1) with histograms title 'decode', \
     'stages.tsv' using 5:xtic(1) with histograms title 'preprocess', \
     'stages.tsv' using 8:xtic(1) with histograms title 'inference', \
     'stages.tsv' using 11:xtic(1) with histograms title 'postprocess', \
     'stages.tsv' using 14:xtic(1) with histograms title 'compose', \
     'stages.tsv' using 17:xtic(1) with histograms title 'encode'
set terminal pngcairo size 1290,690 noenhanced font 'sans-serif,15' background 'white'
set output 'stages.png'
replot
