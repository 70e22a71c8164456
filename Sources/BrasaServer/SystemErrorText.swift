#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

enum SystemErrorText {
    /// The system's words for an error number, as in "Address already in use".
    static func of(_ number: Int32) -> String {
        String(cString: strerror(number))
    }
}
