# Packages for other machines: a .deb and a tar.gz with the program, its manual page, the library and its headers (make package).
set(CPACK_PACKAGE_VENDOR "sgmcmc")
set(CPACK_PACKAGE_CONTACT "The developers of sgmcmc <sgmcmc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Bayesian posteriors from minibatches of data")
set(CPACK_PACKAGE_DESCRIPTION
    "Samples Bayesian posteriors of models in the Stan language, without compiling them, and
judges the draws. If there are many rows of data, a step reads only a few hundred of them.
With the library and its headers, models can also be written in C++.")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME sgmcmc-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The program loads NetCDF when it writes such a file, which dpkg-shlibdeps cannot detect.
string(REGEX REPLACE "^(.*)\\.so\\.([0-9]+).*$" "\\1\\2" netcdf_package ${netcdf_file})
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ${netcdf_package})
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, g++, liblzma-dev, libzstd-dev, zlib1g-dev")  # to use the library
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package_options.cmake)
include(CPack)
