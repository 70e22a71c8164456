import BrasaFirestore
import Foundation

/// The Swift side of the tests that two client libraries agree: a line of JSON in is a call, a line out its answer, until
/// the input ends. The server's address and the project come from the environment.
@main
enum Interop {
    static func main() async throws {
        let client = InteropClient(firestore: Firestore.firestore())
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        while let line = readLine() {
            let call = try decoder.decode(InteropCall.self, from: Data(line.utf8))
            let answer = try encoder.encode(await client.answer(call))
            try FileHandle.standardOutput.write(contentsOf: answer + Data("\n".utf8))
        }
        try await client.firestore.terminate()
    }
}
