# Found by find_package(bridgemaster).
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(OpenSSL)
find_dependency(PkgConfig)
pkg_check_modules(GRPC REQUIRED IMPORTED_TARGET grpc++ protobuf)
include(${CMAKE_CURRENT_LIST_DIR}/targets.cmake)
