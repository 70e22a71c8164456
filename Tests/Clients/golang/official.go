// Writes, reads and queries through the official Go client, which is told an address and, by its environment, a key file.
// With the argument "signed" behind it tokens are not exchanged, but signed; with "load" it writes and reads until its input
// ends, and tells for each line of it how often it has done so.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/option"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func main() {
	ctx := context.Background()
	options := []option.ClientOption{option.WithEndpoint(os.Args[1])}
	way := strings.Join(os.Args[2:], " ")
	if way == "signed" {
		options = append(options, option.WithTokenSource(signing()))
	}
	client, err := firestore.NewClient(ctx, "demo", options...)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if way == "load" {
		load(ctx, client)
		return
	}
	city := client.Doc("cities/SF")
	if _, err := city.Set(ctx, map[string]interface{}{"population": 860000}); err != nil {
		log.Fatal(err)
	}
	found, err := city.Get(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Data())
	documents, err := client.Collection("cities").Where("population", ">", 1).Documents(ctx).GetAll()
	if err != nil {
		log.Fatal(err)
	}
	for _, document := range documents {
		fmt.Println(document.Ref.ID)
	}
}

func load(ctx context.Context, client *firestore.Client) {
	var count, stopped int64
	var threads sync.WaitGroup
	for number := 0; number < 4; number++ {
		document := client.Doc(fmt.Sprintf("load/%d", number))
		threads.Add(1)
		go func() {
			defer threads.Done()
			for written := int64(1); atomic.LoadInt64(&stopped) == 0; written++ {
				retrying(func() error {
					_, err := document.Set(ctx, map[string]interface{}{"count": written})
					return err
				})
				retrying(func() error {
					found, err := document.Get(ctx)
					if err == nil && found.Data()["count"] != written {
						err = fmt.Errorf("%v instead of %d", found.Data(), written)
					}
					return err
				})
				atomic.AddInt64(&count, 1)
			}
		}()
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Println(atomic.LoadInt64(&count))
	}
	atomic.StoreInt64(&stopped, 1)
	threads.Wait()
}

// As later versions of this library do it by themselves.
func signing() oauth2.TokenSource {
	key, err := os.ReadFile(os.Getenv("GOOGLE_APPLICATION_CREDENTIALS"))
	if err != nil {
		log.Fatal(err)
	}
	tokens, err := google.JWTAccessTokenSourceWithScope(key, "https://www.googleapis.com/auth/datastore")
	if err != nil {
		log.Fatal(err)
	}
	return tokens
}

// This library leaves it to programs to try again when a server is not there.
func retrying(call func() error) {
	for {
		err := call()
		if err == nil {
			return
		}
		if status.Code(err) != codes.Unavailable {
			log.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
