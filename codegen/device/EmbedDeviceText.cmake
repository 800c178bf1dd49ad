# cmake -DPARTS=a.h;b.h -DOUTPUT=DeviceText.cpp -P EmbedDeviceText.cmake
#
# Joins the parts of the device header into one string. Run-time compilers are
# given no file system, so the parts' includes of each other become empty lines,
# which keeps line numbers; #line makes diagnostics name the part.
set(text "#include \"rcclx/DeviceText.h\"\n\n")
string(APPEND text "const char rcclx_device_text[] =")
foreach(part IN LISTS PARTS)
  file(READ "${part}" body)
  get_filename_component(name "${part}" NAME)
  string(REGEX REPLACE "#[ \t]*include[ \t]+\"rcclx_[a-z_]+\\.h\"[^\n]*" "" body "${body}")
  if(body MATCHES "#[ \t]*include")
    message(FATAL_ERROR "${part}: a freestanding header includes only other parts of itself")
  endif()
  string(APPEND text "\nR\"rcclx_text(#line 1 \"${name}\"\n${body})rcclx_text\"")
endforeach()
string(APPEND text ";\nconst size_t rcclx_device_text_bytes = sizeof(rcclx_device_text) - 1;\n")
file(WRITE "${OUTPUT}" "${text}")
