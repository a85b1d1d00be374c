# The program of `cmake --install`.
install(TARGETS rondo_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tool)
