/// Lends an array's memory to a parser that throws `DocumentError`; the library's `withUnsafeBytes` loses the error's
/// type.
func borrowing<Output>(
    _ bytes: [UInt8],
    _ body: (UnsafeRawBufferPointer) throws(DocumentError) -> Output
) throws(DocumentError) -> Output {
    let result: Result<Output, DocumentError> = bytes.withUnsafeBytes { bytes in
        do throws(DocumentError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
}

func borrowing<Output>(
    _ bytes: ByteString,
    _ body: (UnsafeRawBufferPointer) throws(DocumentError) -> Output
) throws(DocumentError) -> Output {
    let result: Result<Output, DocumentError> = bytes.withUnsafeBytes { bytes in
        do throws(DocumentError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
}
