package rondo

import (
	"context"
	"image"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Whatever a method is given, the process goes on: what is wrong is an error.
func TestArgumentsOfAllKinds(t *testing.T) {
	f := newFixture(t)
	for _, extreme := range []int64{0, -1, math.MinInt64, math.MaxInt64, 1<<32 + 512, 7} {
		for name, object := range f.all() {
			value := reflect.ValueOf(object)
			for i := 0; i < value.NumMethod(); i++ {
				if method := value.Type().Method(i).Name; method != "Close" {
					within, stop := context.WithTimeout(ctx, 2*time.Second)
					if !f.survives(value.Method(i), extreme, within) {
						t.Errorf("%s.%s with %d panics", name, method, extreme)
					}
					stop()
				}
			}
			object.Close()
		}
		f.engine.Close()
		f = newFixture(t)
	}
}

func (f *fixture) survives(method reflect.Value, extreme int64, within context.Context) (survived bool) {
	defer func() { survived = recover() == nil }()
	var arguments []reflect.Value
	for i := 0; i < method.Type().NumIn(); i++ {
		in := method.Type().In(i)
		if method.Type().IsVariadic() && i == method.Type().NumIn()-1 {
			in = in.Elem()
		}
		arguments = append(arguments, valueOf(in, extreme, within))
	}
	results := method.Call(arguments)
	for _, result := range results {
		switch stream := result.Interface().(type) {
		case *Stream:
			_, _ = stream.Text()
		case *ChatStream:
			_, _ = stream.Reply()
		}
	}
	return true
}

func valueOf(in reflect.Type, extreme int64, within context.Context) reflect.Value {
	value := reflect.New(in).Elem()
	switch in.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		value.SetInt(extreme)
	case reflect.Uint64, reflect.Uint32, reflect.Uint16, reflect.Uint8:
		value.SetUint(uint64(extreme))
	case reflect.Float32, reflect.Float64:
		value.SetFloat(math.Float64frombits(uint64(extreme)))
	case reflect.Bool:
		value.SetBool(extreme > 0)
	case reflect.String:
		value.SetString(strings.Repeat("\x00\xffü", int(extreme&7)))
	case reflect.Slice:
		for i := int64(0); i < extreme&3; i++ {
			value = reflect.Append(value, valueOf(in.Elem(), extreme, within))
		}
	case reflect.Array:
		for i := 0; i < in.Len(); i++ {
			value.Index(i).Set(valueOf(in.Elem(), extreme, within))
		}
	case reflect.Struct:
		for i := 0; i < in.NumField(); i++ {
			if value.Field(i).CanSet() {
				value.Field(i).Set(valueOf(in.Field(i).Type, extreme, within))
			}
		}
	case reflect.Interface:
		if in == reflect.TypeOf(&within).Elem() && extreme != -1 {
			value.Set(reflect.ValueOf(within))
		} else if in.NumMethod() == 0 {
			value.Set(reflect.ValueOf(extreme))
		}
	case reflect.Func:
		if in == reflect.TypeOf((func(int, []float32))(nil)) {
			value.Set(reflect.ValueOf(func(int, []float32) {}))
		}
	}
	return value
}

// Pictures of nothing.
func TestImagesOfNothing(t *testing.T) {
	f := newSeeing(t)
	for _, picture := range []image.Image{image.NewGray(image.Rectangle{}), image.NewNRGBA(image.Rect(0, 0, 0, 5)),
		&image.YCbCr{}} {
		_, err := f.engine.Media(ctx, ImageOf(picture), ImageOptions{})
		f.fails(err, StatusInvalidArgument, "")
	}
}
