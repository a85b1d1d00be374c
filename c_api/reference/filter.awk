# rondo.h as Doxygen reads it: its comments become documentation, and what is no markup stays text.
function text(line) {
  if (line ~ /^ \*     /) return line  # code
  gsub(/[<>#@%\\]/, "\\\\&", line)
  return line
}
# The comment before the first declaration is the manual's first page.
NR == 1 { print "/** @file rondo.h"; sub(/^\/\* rondo\.h: /, " * @mainpage Rondo\n * "); print; next }
/^\/\* ---- .* -+ \*\/$/ {
  title = $0
  gsub(/^\/\* ---- | -+ \*\/$/, "", title)
  print (open ? "/** @} */ " : "") "/** @name " title " */ /** @{ */"
  open = 1
  next
}
/^#ifdef __cplusplus/ && open { print "/** @} */"; open = 0 }
/^ *\/\* / {
  match($0, /\/\* /)
  print substr($0, 1, RSTART - 1) "/** " text(substr($0, RSTART + 3))
  next
}
/[,;({]  *\/\* / || / = .* \/\* / {
  match($0, /\/\* /)
  print substr($0, 1, RSTART - 1) "/**< " text(substr($0, RSTART + 3))
  next
}
/^ \*/ || !/[;{}()]/ { print /^ *#|^}/ ? $0 : text($0); next }
{ print }
